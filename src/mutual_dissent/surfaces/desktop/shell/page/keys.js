// The hidden window: it registers the hotkey, which stands in its address, and tells when it is pressed.
const tauri = window.__TAURI_INTERNALS__;
/** @param {string} event @param {unknown} payload */
const tell = (event, payload) => tauri.invoke("plugin:event|emit", { event, payload });

const hotkey = location.hash.slice(1);
const pressed = tauri.transformCallback((/** @type {{ message?: { state: string } }} */ told) => {
  if (told.message?.state === "Pressed") tell("hotkey-pressed", null);
});

tauri
  .invoke("plugin:global-shortcut|register", { shortcuts: [hotkey], handler: `__CHANNEL__:${pressed}` })
  .then(
    () => tell("hotkey-ready", null),
    (/** @type {unknown} */ why) => tell("hotkey-refused", String(why)),
  );
