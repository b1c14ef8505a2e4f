"""Builds a wheel of the module, as pip asks for it (PEP 517): configures, builds and installs by cmake, and packs what came out.

With STICKSLIP_BUILD in the environment the module of that build tree is packed, and nothing is built but what has changed.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUMMARY = "Contact and friction: library, simulator and solver laboratory"


def version():
    return re.search(r"project\(stickslip VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def metadata():
    lines = ["Metadata-Version: 2.1", "Name: stickslip", f"Version: {version()}", f"Summary: {SUMMARY}", "License: Apache-2.0",
             "Requires-Python: >=3.9", *(f"Requires-Dist: {name}" for name in ("numpy", "scipy", "h5py"))]  # fmt: skip
    return "\n".join(lines) + "\n"


def install_package(folder):
    """Puts the package stickslip into a folder."""
    build = os.environ.get("STICKSLIP_BUILD")
    with tempfile.TemporaryDirectory() as scratch:
        if build is None:
            build = scratch
            subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DSTICKSLIP_PYTHON=ON",
                            "-DSTICKSLIP_TESTS=OFF", "-DSTICKSLIP_CLI=OFF", f"-DSTICKSLIP_PYTHON_EXECUTABLE={sys.executable}"], check=True)  # fmt: skip
        subprocess.run(["cmake", "--build", build, "--target", "stickslip_python"], check=True)
        subprocess.run(["cmake", "--install", build, "--component", "python", "--strip", "--prefix", pathlib.Path(folder) / "prefix"], check=True)
    (package,) = (pathlib.Path(folder) / "prefix").rglob("site-packages/stickslip")
    return package


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name, info = f"stickslip-{version()}-{tag()}.whl", f"stickslip-{version()}.dist-info"
    with tempfile.TemporaryDirectory() as folder:
        package = install_package(folder)
        files = {f"stickslip/{p.relative_to(package)}": p.read_bytes() for p in sorted(package.rglob("*")) if p.is_file()}
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: stickslip\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = ""
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            wheel.writestr(path, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(content)}\n"
        wheel.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
    return name
