// Starts `ave lsp` and connects the editor with it.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const settings = workspace.getConfiguration("ave");
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  const [command, ...args] = settings.get("command").map((part) => part.replace("${workspaceFolder}", folder));
  client = new LanguageClient(
    "ave",
    "Ave",
    { command, args },
    {
      documentSelector: [{ scheme: "file", language: "python" }],
      initializationOptions: { target: settings.get("target") },
    },
  );
  return client.start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
