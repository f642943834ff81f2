// /static/vendor/preact-htm.js: its own types, and handlers whose event is known without saying so.
import { VNode } from "preact";
export { h, Component, render } from "preact";
export * from "preact/hooks";

type Part =
  object | string | number | boolean | bigint | symbol | null | undefined | ((event: PageEvent) => unknown);
export const html: (strings: TemplateStringsArray, ...values: Part[]) => VNode;
