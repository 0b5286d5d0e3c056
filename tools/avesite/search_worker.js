// The search's worker: Material's own, before which a question is put into words that its index has.
// Words that every question has are left out (Material leaves them out of the index only, and would take them for beginnings of others), whole words count
// more than beginnings, and words of other languages and libraries lead to ours.
"use strict";

const COMMON = new Set(
  ("a about all am an and any are as at be been being but by can cannot could did do does doing done for from get got had has have having her here him how i if " +
    "in into is it its just like make may me might mine my no not of on one or other our over please should so some such than that the their them then " +
    "there these they this those to too under up us use used using very want was way we were what when where which while who whom whose why will with " +
    "without would you your work works mean means need").split(" "),
);

// What others call it: what it is called here.
const ALSO = {
  autotune: "tune tuning", autotuner: "tune tuner", benchmark: "figures measure", block: "block", breakpoint: "debug", colab: "notebook", cta: "block",
  crash: "error fault", cutlass: "CuTe", cute: "CuTe", deadlock: "barrier wait", deprecated: "deprecation", deterministic: "bits invariant", docker: "install machine", float16: "f16", float32: "f32",
  bfloat16: "bf16", float8: "fp8", hip: "ROCm HIP", hopper: "Hopper sm_90a", huggingface: "Hugging Face transformers", intrinsic: "intrinsic", lds: "LDS shared",
  mac: "macOS", mi300: "MI300 gfx942", mi350: "gfx950", mi250: "gfx90a", h100: "Hopper sm_90a", h200: "Hopper H200", b200: "Blackwell", moe: "moe experts", osx: "macOS", ping: "ping",
  printf: "printf print", jupyter: "notebook cells", profile: "profile report", program_id: "block_id", pytorch: "torch", random: "random rand", randn: "rand randn", recompile: "compile cache", sass: "SASS assembly",
  segfault: "bounds fault", simd: "wave", slow: "slow first compile", stable: "stability", smem: "shared", threadblock: "block", threadidx: "thread_id", blockidx: "block_id",
  tl: "Triton", triton: "Triton", uninitialized: "wrote init", vgpr: "registers", warp: "warp wave", wave: "wave", wavefront: "wave", workgroup: "block", wsl: "WSL Windows",
  syncthreads: "syncthreads barrier", gpus: "GPUs GPU", multi: "several multi", mask: "mask guard edge", nan: "NaN",
};

/** The question as Material's worker takes it: each word whole (`^4`) and as a beginning; a word of one or two letters whole only. */
function asked(query) {
  if (/["+~^*]|(^|\s)-/.test(query)) return query; // whoever writes operators knows what they ask for
  const words = query.split(/[\s,;?!()]+/).filter(Boolean);
  const kept = words.filter((word) => !COMMON.has(word.toLowerCase().replace(/'.*/, "")));
  const out = [];
  for (const word of kept.length ? kept : words) {
    const plain = word.replace(/[:.]+$/, "");
    const others = (ALSO[plain.toLowerCase()] || "").split(" ").filter((other) => other && other.toLowerCase() !== plain.toLowerCase());
    out.push(`${plain}^4`);
    if (plain.length > 2) out.push(plain);
    for (const other of others) out.push(`${other}^2`);
  }
  return out.join(" ");
}

/** Results with the best page first that has something called exactly as the question says: whoever types a name wants its entry. */
function exactFirst(items, question) {
  const name = question.trim().toLowerCase().replace(/^(al|tile|ops|avelang|ptx)\./, "");
  const called = (part) => part.title.replace(/<[^>]*>/g, "").trim().toLowerCase() === name;
  const first = items.find((parts) => parts.some(called));
  return first ? [first, ...items.filter((parts) => parts !== first)] : items;
}

let question = "";
const post = self.postMessage.bind(self);
self.postMessage = (message, ...rest) => {
  if (message.type === 3) message.data.items = exactFirst(message.data.items, question);
  post(message, ...rest);
};

self.addEventListener("message", (event) => {
  if (!event.data || event.data.type !== 2) return;
  question = event.data.data;
  event.data.data = asked(question);
});

if (typeof importScripts === "function") importScripts("MATERIAL");
