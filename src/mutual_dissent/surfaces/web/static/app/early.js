// Before anything is drawn: the theme that was chosen last, else what the system prefers.
const chosen = localStorage.getItem("theme");
const light = window.matchMedia("(prefers-color-scheme: light)").matches;
document.documentElement.dataset.theme = chosen || (light ? "light" : "dark");
