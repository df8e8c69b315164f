// Escape: a page that tries to do what no archived page may, and how it would be noticed.
//
// Each is first seen to succeed outside of the archive, so that its failure in the archive means something. Whatever
// reaches the live web carries `caught/NAME` in its URL; what is read goes into `data-found` of the page's root.

import { html } from '../files.ts'
import type { Answer, OriginOf } from '../origin-web.ts'

export interface Escape {
  readonly name: string
  readonly page: Answer
  /** More files, by path below the page. */
  readonly parts?: Readonly<Record<string, Answer>>
  /** Opened before in the same browser, and left open. In the archive it is a page of another site. */
  readonly first?: Answer
  /** Outside of the archive, the page is shown in this one, where `HERE` stands. */
  readonly holder?: string
  /** A person clicks on `#go`. */
  readonly isClicked?: boolean
  /** Not every browser does it, nor always: it need not succeed outside of the archive. */
  readonly isRare?: boolean
}

/** Where things are, for the pages that try. */
export interface Surroundings {
  /** Origin of the live web. */
  readonly live: string
  /** A port on 127.0.0.1 that hears datagrams, for this escape alone. */
  readonly datagramPort: (name: string) => number
  /** The same for connections that need not speak HTTP. */
  readonly connectionPort: (name: string) => number
  /** Origin of the archive's own pages. */
  readonly archive: string
  readonly origin: OriginOf
}

/** How long a page is given after its script has run, for what goes on by itself. */
const settleMs = 250

/**
 * `found(text)` tells what was read. `fresh()` gives a window whose functions nobody has replaced, where that can be had.
 * `caught(ending)` is a URL on the live web.
 */
const tools = (around: Surroundings, name: string) => `
  function found(text) { document.documentElement.setAttribute('data-found', text) }
  function caught(ending) { return '${around.live}/caught/${name}' + (ending || '.html') }
  function fresh() {
    document.body.insertAdjacentHTML('beforeend', '<iframe></iframe>')
    return window[window.length - 1]
  }
  addEventListener('load', function () {
    setTimeout(function () { document.documentElement.setAttribute('data-tried', 'yes') }, ${settleMs})
  })`

export interface Trial {
  /** Run when the page has loaded. */
  readonly script?: string
  readonly head?: string
  readonly body?: string
  readonly headers?: Answer['headers']
  readonly isRare?: boolean
}

export function trial(
  around: Surroundings,
  name: string,
  { script = '', head = '', body = '', headers }: Trial,
): Answer {
  const text = `<!doctype html><html><head><meta charset="utf-8"><title>${name}</title>
    <script>${tools(around, name)}</script>${head}</head>
    <body>${body}<script>addEventListener('load', function () {
    try { ${script}
    } catch (error) { document.documentElement.setAttribute('data-error', String(error)) } })</script></body></html>`
  return html(text, headers)
}

/** Scripts by name, each a page of its own. */
export function trials(around: Surroundings, scripts: Readonly<Record<string, string | Trial>>): Escape[] {
  return Object.entries(scripts).map(([name, given]) => {
    const tried = typeof given === 'string' ? { script: given } : given
    return { name, page: trial(around, name, tried), isRare: tried.isRare ?? false }
  })
}
