// A site of the demo's little web: what it answers at a moment. The same moment gives the same pages, whenever it is asked.

import { type Html, html } from '../../ui/markup/html.ts'

export interface SiteAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
}

export interface LittleSite {
  /** The first label of its host name. */
  readonly name: string
  readonly title: string
  /** For who reads about the demo: what it is. */
  readonly what: string
  /** undefined: there is no such page. */
  answer(path: string, moment: Moment): SiteAnswer | undefined
}

export interface Moment {
  /** Since the demo was begun. */
  readonly seconds: number
  /** The address of another site of the little web. */
  origin(site: string): string
}

interface PageParts {
  readonly title: string
  readonly description: string
  readonly colour: string
  readonly body: Html
}

export function page({ title, description, colour, body }: PageParts): SiteAnswer {
  const text = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${description}">
<link rel="stylesheet" href="/style.css">
</head><body data-colour="${colour}">
${body}
</body></html>
`
  return { status: 200, type: 'text/html; charset=utf-8', body: String(text) }
}

export function style(colour: string): SiteAnswer {
  return {
    status: 200,
    type: 'text/css',
    body: `body { margin: 0 auto; max-width: 46rem; padding: 1rem 1.5rem 4rem; font: 18px/1.6 Georgia, serif; color: #222; background: #fffdf8 }
header { border-bottom: 4px double ${colour}; margin-bottom: 1.5rem }
h1, h2, a { color: ${colour} }
img { width: 100%; height: auto; border-radius: 4px }
.list { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: 1.2rem; padding: 0; list-style: none }
.price { font-size: 1.4rem; font-weight: bold }
small, footer { color: #777 }
`,
  }
}

/** A picture of hills under a sun: one for each number. */
export function drawing(number: number, colour: string): SiteAnswer {
  const height = (step: number) => 60 + (((number + 3) * 37 + step * 53) % 70)
  const hills = [0, 1, 2, 3, 4, 5, 6].map((step) => `L${step * 80} ${height(step)}`).join(' ')
  return {
    status: 200,
    type: 'image/svg+xml',
    body: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 180"><rect width="480" height="180" fill="#f3ead6"/><circle cx="${60 + ((number * 71) % 360)}" cy="46" r="22" fill="#e8b04b"/><path d="M0 180 ${hills} L480 180 Z" fill="${colour}"/></svg>`,
  }
}

/** One of a list, a different one for each number. */
export function pick<T>(list: readonly T[], number: number): T {
  return list[((number % list.length) + list.length) % list.length]!
}
