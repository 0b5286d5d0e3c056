// The tabs beside the code: what a kernel takes, its traffic, its main loop. Called by page.js, which has `make`, `tab`.
function sections() {
  const cards = document.getElementById("cards");
  for (const [name, value, remark, warning] of D.facts.slice(0, 8)) {
    const card = make("div", warning ? "warn" : "");
    card.append(make("span", "", name + " "), make("b", "", value));
    card.title = remark;
    cards.append(card);
  }
  const room = make("div", "tab prose");
  document.querySelector("main").append(room);
  if (D.facts.length) {
    room.append(make("h2", "", "Resources"));
    const table = make("table");
    for (const [name, value, remark, warning] of D.facts) {
      const row = make("tr", warning ? "warn" : "");
      row.append(make("th", "", name), make("td", "v", value), make("td", "", remark));
      table.append(row);
    }
    room.append(table);
  }
  for (const text of D.missing) room.append(make("p", "missing", "Not known: " + text));
  for (const text of D.notes) room.append(make("p", "note", text));
  addTab("resources", "Resources", room);
}
