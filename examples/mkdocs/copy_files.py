"""Puts the package and the model beside the pages, after MkDocs has written them."""

import shutil
from pathlib import Path

HERE = Path(__file__).parent


def on_post_build(config):
    site = Path(config["site_dir"])
    shutil.copytree(HERE / "../node_modules/bagscope/dist", site / "bagscope", dirs_exist_ok=True)
    shutil.copytree(HERE / "../digits", site / "digits", dirs_exist_ok=True)
