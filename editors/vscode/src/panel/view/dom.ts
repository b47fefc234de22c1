// Builds elements: attributes by name, text and elements as children.

type Attributes = Record<string, string | number | boolean | undefined>;
type Child = Node | string | null;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Text for screen readers only. */
export function hidden(text: string): HTMLElement {
  return el('span', { class: 'visually-hidden' }, text);
}
