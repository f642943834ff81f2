"""The desktop surface: the server's pages in a native window, with a tray icon and a hotkey.

The window belongs to one process and the server to another. Tauri is imported by `window` alone.
"""
