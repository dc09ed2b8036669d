"""Mutants: small wrong changes of the source that some test must notice."""

from tests.mutants.consumers import CONSUMERS
from tests.mutants.coordinators import CONTROLLERS, COORDINATORS
from tests.mutants.directories import DIRECTORIES, STEPS
from tests.mutants.gaps import GAPS
from tests.mutants.logs import LOGS
from tests.mutants.nodes import NODES
from tests.mutants.outside import OUTSIDE
from tests.mutants.replicas import REPLICAS
from tests.mutants.sharing import SHARING
from tests.mutants.small_files import CHECKPOINTS, SMALL_FILES

ALL = (
    *SMALL_FILES,
    *CHECKPOINTS,
    *LOGS,
    *DIRECTORIES,
    *STEPS,
    *GAPS,
    *NODES,
    *REPLICAS,
    *COORDINATORS,
    *CONSUMERS,
    *SHARING,
    *CONTROLLERS,
    *OUTSIDE,
)
