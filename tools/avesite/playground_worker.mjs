// Python in a worker of the playground: Pyodide, Ave's Python files out of ave.zip, and browser.py, which checks and runs programs.
import { loadPyodide } from "./pyodide.mjs";

export async function start(python, archive) {
  python.unpackArchive(archive, "zip", { extractDir: "/ave" });
  let numpy = true;
  try {
    await python.loadPackage("numpy", { messageCallback: () => {}, errorCallback: () => {} });
    python.runPython("import numpy");
  } catch {
    numpy = false;
  }
  python.runPython("import sys; sys.path.insert(0, '/ave'); sys.dont_write_bytecode = True; import browser");
  const browser = python.pyimport("browser");
  return { numpy, about: browser.about(), answer: (what, text) => (what === "run" ? browser.run(text) : browser.check(text)) };
}

if (typeof self !== "undefined" && typeof self.postMessage === "function" && typeof window === "undefined") {
  const begun = (async () => {
    const here = new URL(".", import.meta.url);
    const [python, archive] = await Promise.all([
      loadPyodide({ indexURL: here.href }),
      fetch(new URL("ave.zip", here)).then((r) => r.arrayBuffer()),
    ]);
    return start(python, archive);
  })();
  begun.then(
    (ave) => self.postMessage({ ready: true, numpy: ave.numpy, about: ave.about }),
    (e) => self.postMessage({ fault: String(e) }),
  );
  self.onmessage = async ({ data }) => {
    const ave = await begun;
    self.postMessage({ text: ave.answer(data.what, data.text), numpy: ave.numpy, about: ave.about });
  };
}
