// Small helpers: elements are made, never parsed out of text.

export const $ = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children);
  return element;
}

export function fill(parent, ...children) {
  parent.replaceChildren(...children);
}

export const percent = (share, digits = 0) =>
  share === null || share === undefined ? "" : `${(100 * share).toFixed(digits)}\u00a0%`;

export const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export function setting(name, value) {
  try {
    if (value === undefined) return localStorage.getItem(`eck.${name}`);
    localStorage.setItem(`eck.${name}`, value);
  } catch {
    // A browser may forbid storage; nothing but comfort depends on it.
  }
  return null;
}
