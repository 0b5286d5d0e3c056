// The page's side of the playground: a worker has Python; this asks it and shows what it says.
"use strict";

(() => {
  const box = document.querySelector(".playground");
  if (!box) return;
  const [text, check, run, state, out] = ["text", "check", "run", "state", "out"].map((id) => document.getElementById(`playground-${id}`));
  const folder = new URL(box.dataset.folder, document.baseURI);

  function ready(found) {
    state.textContent = found.about;
    check.disabled = false;
    run.disabled = !found.numpy;
    if (!found.numpy) run.title = "NumPy for WebAssembly is not in this site.";
  }

  async function start() {
    state.textContent = "Looking for Python ...";
    const there = await fetch(new URL("there.json", folder)).then((r) => r.ok, () => false);
    if (!there) {
      state.textContent = "This site was built without Python: see below.";
      return;
    }
    state.textContent = "Loading Python, some 15 MB ...";
    const worker = new Worker(new URL("worker.mjs", folder), { type: "module" });
    worker.onmessage = ({ data }) => {
      if (data.ready) return ready(data);
      state.textContent = data.fault ? "Python could not be loaded." : data.about;
      out.textContent = data.fault || data.text || "Nothing was printed.";
      check.disabled = false;
      run.disabled = !data.numpy;
    };
    const ask = (what) => () => {
      check.disabled = run.disabled = true;
      state.textContent = "At work ...";
      worker.postMessage({ what, text: text.value });
    };
    check.addEventListener("click", ask("check"));
    run.addEventListener("click", ask("run"));
    text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) check.click();
    });
  }

  start();
})();
