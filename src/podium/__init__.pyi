"""What editors and type checkers see: names that `__init__.py` loads on first use."""

from podium import boosting as boosting
from podium import bounds as bounds
from podium import criteria as criteria
from podium import datasets as datasets
from podium import experiments as experiments
from podium import inference as inference
from podium import kernels as kernels
from podium import labels as labels
from podium import metrics as metrics
from podium import models as models
from podium import monitor as monitor
from podium import neural as neural
from podium import persist as persist
from podium import phi as phi
from podium import plots as plots
from podium import rankers as rankers
from podium import ranks as ranks
from podium import report as report
from podium import roc as roc
from podium import rounds as rounds
from podium import selection as selection
from podium import shortlist as shortlist
from podium import solvers as solvers
from podium import tables as tables
from podium import workflow as workflow
from podium.citations import cite as cite
from podium.exceptions import DegenerateSampleError as DegenerateSampleError
from podium.exceptions import InputError as InputError
from podium.exceptions import InputTypeError as InputTypeError
from podium.exceptions import MissingPackageError as MissingPackageError
from podium.neural import NeuralRanker as NeuralRanker
from podium.objective import Objective as Objective
from podium.rankers import BoostedRanker as BoostedRanker
from podium.rankers import CriterionRanker as CriterionRanker
from podium.rankers import ForestRanker as ForestRanker
from podium.rankers import GradientBoostedRanker as GradientBoostedRanker
from podium.rankers import LinearRanker as LinearRanker
from podium.rankers import QuadraticRanker as QuadraticRanker
from podium.rankers import StackedRanker as StackedRanker
from podium.rankers import TreeRanker as TreeRanker
from podium.selection import AutoRanker as AutoRanker

__version__: str
