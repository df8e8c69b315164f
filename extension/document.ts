// The extension's own pages: their elements by id.

export function element(id: string): HTMLElement {
  return document.getElementById(id)!
}

export function reveal(id: string, isShown = true): void {
  element(id).hidden = !isShown
}

export function moment(ms: number): string {
  return `on ${new Date(ms).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' })}`
}
