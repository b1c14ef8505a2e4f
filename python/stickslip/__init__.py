"""Stickslip: contact and friction you can trust.

    import stickslip as ss

    world = ss.scene("pinch-grasp")                       # a built-in scene, a file, a robot, a dictionary
    sim = ss.Stepper(world, h=0.005)
    for report in sim.run(seconds=2):                     # with controller=function to drive it
        forces = report.contacts.force                    # NumPy arrays
    problem = sim.problem()                               # W, J, M as SciPy matrices
    answer = ss.solve(problem, "alart-curnier", tol=1e-10)
    ss.view(world)                                        # in the browser

Units are SI, angles radians, z points up, quaternions are ordered w, x, y, z. Bad input raises `ss.Error`, which names place,
value and remedy. The manual is docs/python.md; scenes, joints, laws and options are those of docs/scenes.md.
"""

from ._core import (
    Answer,
    Body,
    ContactSite,
    Contacts,
    Done,
    EnergyLedger,
    Error,
    Finding,
    FrictionSet,
    Joint,
    JointAxis,
    JointRecords,
    Material,
    Problem,
    Recording,
    Report,
    Residual,
    Run,
    Server,
    SolveReport,
    StageTimes,
    Stepper,
    World,
    WorldState,
    __version__,
    add_law,
    add_set,
    add_solver,
    laws,
    load_problem,
    scenes,
    solve,
    solvers,
    step_all,
)
from .own import law, solver
from .scene import box, capsule, cylinder, half_space, hull, mesh, scene, sphere
from .show import Replay, replay, view
from .trajectory import Trajectory, load_trajectory

__all__ = [
    "Answer", "Body", "ContactSite", "Contacts", "Done", "EnergyLedger", "Error", "Finding", "FrictionSet", "Joint", "JointAxis",
    "JointRecords", "Material", "Problem", "Recording", "Replay", "Report", "Residual", "Run", "Server", "SolveReport",
    "StageTimes", "Stepper", "Trajectory", "World", "WorldState", "add_law", "add_set", "add_solver", "box", "capsule", "cylinder",
    "half_space", "hull", "law", "laws", "load_problem", "load_trajectory", "mesh", "replay", "scene", "scenes", "solve", "solver",
    "solvers", "sphere", "step_all", "view",
]  # fmt: skip

for _name in __all__:
    if getattr(globals()[_name], "__module__", "").startswith("stickslip."):
        try:
            globals()[_name].__module__ = "stickslip"
        except AttributeError:  # functions of the extension
            pass
del _name
