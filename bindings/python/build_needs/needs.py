"""What the wheel needs, for scikit-build-core: a free-threaded Python links nanobind in (CMakeLists.txt), and nanobind-backend
serves none; no environment marker tells one from the other."""

import sysconfig


class Provider:
    def dynamic_metadata(self, settings, project):
        linked = sysconfig.get_config_var("Py_GIL_DISABLED")
        return {"dependencies": ["numpy>=1.23"] + ([] if linked else ["nanobind-backend>=1.0"])}
