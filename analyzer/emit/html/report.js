"use strict";
(() => {
  const form = document.getElementById("filters");
  const themeButton = document.getElementById("theme");
  const articles = [...document.querySelectorAll("main article")];

  // ---- theme: what the system says, unless the reader says otherwise ----
  const themes = ["auto", "light", "dark"];
  let theme = 0;
  themeButton.hidden = false;
  themeButton.addEventListener("click", () => {
    theme = (theme + 1) % themes.length;
    themeButton.textContent = "Theme: " + themes[theme];
    if (theme) document.documentElement.dataset.theme = themes[theme];
    else delete document.documentElement.dataset.theme;
  });

  // ---- a rule's documentation opens when a link leads to it ----
  const openTarget = () => {
    const target = location.hash.length > 1 && !location.hash.startsWith("#?") && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.tagName === "DETAILS") target.open = true;
    target.scrollIntoView({ block: "start" });
  };

  if (!form) {
    addEventListener("hashchange", openTarget);
    openTarget();
    return;
  }

  // ---- filters: each list lets everything pass while none of it is ticked; the address keeps what was chosen ----
  const query = document.getElementById("query");
  const count = document.getElementById("count");
  const none = document.getElementById("none");
  const boxes = [...form.querySelectorAll("input[data-key]")];
  const records = articles.map((article) => ({
    article,
    values: { ...article.dataset, file: article.parentElement.dataset.file },
    text: null,
  }));
  form.hidden = false;

  const textOf = (record) => (record.text ??= record.article.textContent.toLowerCase());

  const chosen = () => {
    const sets = {};
    for (const box of boxes) if (box.checked) (sets[box.dataset.key] ??= new Set()).add(box.value);
    return sets;
  };

  const apply = (keepAddress) => {
    const sets = chosen();
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const record of records) {
      const passes = Object.entries(sets).every(([key, set]) => set.has(record.values[key])) &&
        words.every((word) => textOf(record).includes(word) || record.values.file.toLowerCase().includes(word));
      record.article.hidden = !passes;
      shown += passes;
    }
    for (const section of document.querySelectorAll("main section.file"))
      section.hidden = !section.querySelector("article:not([hidden])");
    none.hidden = shown > 0;
    count.textContent = shown === records.length ? `${shown} finding${shown === 1 ? "" : "s"}` : `${shown} of ${records.length} findings`;
    if (!keepAddress) {
      const state = new URLSearchParams();
      for (const [key, set] of Object.entries(sets)) for (const value of set) state.append(key, value);
      if (query.value) state.append("q", query.value);
      history.replaceState(null, "", state.size ? "#?" + state : "#");
    }
  };

  const readAddress = () => {
    if (location.hash.startsWith("#?")) {
      const state = new URLSearchParams(location.hash.slice(2));
      for (const box of boxes) box.checked = state.getAll(box.dataset.key).includes(box.value);
      query.value = state.get("q") ?? "";
      apply(true);
    } else {
      openTarget();
    }
  };

  form.addEventListener("input", () => apply(false));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => apply(false)));
  addEventListener("hashchange", readAddress);

  // ---- keys ----
  const move = (step) => {
    const open = articles.filter((article) => !article.hidden);
    if (!open.length) return;
    const here = open.indexOf(document.activeElement.closest?.("article"));
    const next = here < 0 ? (step > 0 ? 0 : open.length - 1) : Math.min(Math.max(here + step, 0), open.length - 1);
    open[next].focus({ preventScroll: true });
    open[next].scrollIntoView({ block: "start" });
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target === query;
    if (event.key === "Escape") {
      form.reset();
      query.blur();
    } else if (!typing && event.key === "/") {
      event.preventDefault();
      query.focus();
      query.select();
    } else if (!typing && (event.key === "j" || event.key === "k")) {
      event.preventDefault();
      move(event.key === "j" ? 1 : -1);
    }
  });

  apply(true);
  readAddress();
})();
