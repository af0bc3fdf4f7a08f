"""The state in which a module is exported, restored afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from ._error import ExportError


@contextmanager
def evaluation(module: torch.nn.Module) -> Iterator[None]:
    """Put a module into evaluation mode on the CPU, without fused attention.

    The mode of each submodule, the device and the random state are restored when the block ends.
    """
    modes = {m: m.training for m in module.modules()}
    devices = {t.device for t in [*module.parameters(), *module.buffers()]}
    if len(devices) > 1:
        raise ExportError(
            "the module's parameters are on several devices; move it to the CPU by module.cpu()"
        )
    state = torch.get_rng_state()
    try:
        module.cpu().eval()
        with _unfused(module):
            yield
    finally:
        torch.set_rng_state(state)
        for m, training in modes.items():
            m.training = training
        for device in devices:
            module.to(device)


@contextmanager
def _unfused(module: torch.nn.Module) -> Iterator[None]:
    """Keep attention layers from their fused path, an operator that exporters do not know.

    Versions before ``torch.backends.mha`` take that path unless a parameter requires gradients.
    """
    switch = getattr(torch.backends, "mha", None)
    if switch is None:
        frozen = [p for p in module.parameters() if not p.requires_grad and p.is_floating_point()]
        for p in frozen:
            p.requires_grad_(True)
        try:
            with torch.enable_grad():
                yield
        finally:
            for p in frozen:
                p.requires_grad_(False)
        return
    fused = switch.get_fastpath_enabled()
    switch.set_fastpath_enabled(False)
    try:
        with torch.no_grad():
            yield
    finally:
        switch.set_fastpath_enabled(fused)
