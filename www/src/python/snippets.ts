// The programs that the page shows. The tests of the Python package run each of them, and compare
// the message of the failed export.
import bags from '../../../tools/python/tests/snippets/bags.py?raw';
import errors from '../../../tools/python/tests/snippets/errors.py?raw';
import evaluate from '../../../tools/python/tests/snippets/evaluate.py?raw';
import explain from '../../../tools/python/tests/snippets/explain.py?raw';
import explained from '../../../tools/python/tests/snippets/explain.txt?raw';
import estimator from '../../../tools/python/tests/snippets/export_estimator.py?raw';
import wrong from '../../../tools/python/tests/snippets/export_error.py?raw';
import message from '../../../tools/python/tests/snippets/export_error.txt?raw';
import exported from '../../../tools/python/tests/snippets/export.py?raw';
import called from '../../../tools/python/tests/snippets/function.py?raw';
import game from '../../../tools/python/tests/snippets/game.py?raw';
import notebook from '../../../tools/python/tests/snippets/notebook.py?raw';
import plan from '../../../tools/python/tests/snippets/plan.py?raw';
import slides from '../../../tools/python/tests/snippets/slides.py?raw';
import whatif from '../../../tools/python/tests/snippets/whatif.py?raw';

export const snippets = {
  ...{ bags, called, errors, estimator, evaluate, explain, explained, exported, game },
  ...{ message, notebook, plan, slides, whatif, wrong },
};

export const install = 'pip install bagscope';
export const extras = "pip install 'bagscope[plot,pandas,progress,widget]'";
