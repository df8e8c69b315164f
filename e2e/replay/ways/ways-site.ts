// The page of all ways, its files on two hosts, and what each way needs.

import { picture, shared } from '../files.ts'
import type { Answers, OriginOf } from '../origin-web.ts'
import { tilePage } from '../tile-page.ts'
import { markupWays } from './markup-ways.ts'
import { scriptWays } from './script-ways.ts'
import type { WayMarkup, Ways } from './way.ts'

export const ways: Ways = { ...markupWays, ...scriptWays }
export const waysPage = 'ways/'

export function waysSite(origin: OriginOf): Answers {
  const answers: Record<string, Answers[string]> = {}
  const markups = Object.keys(ways).map((id, at) => ({ id, ...markupOf(id, at, origin, answers) }))
  const all = (part: keyof WayMarkup) =>
    markups.flatMap((markup) => markup[part] ?? []).join(part === 'script' ? ';\n' : '\n')
  const seen = markups.filter(({ id }) => ways[id]!.isUnseen !== true)
  const page = tilePage({
    title: 'What a page can need',
    head: all('head'),
    tiles: Object.fromEntries(seen.map(({ id, tile: markup = '' }) => [id, markup])),
    script: all('script'),
    after: all('after'),
  })
  return { ...answers, [waysPage]: { body: page, headers: { 'Content-Type': 'text/html; charset=utf-8' } } }
}

/** Where the files of a way are: all below a folder of its name. */
export function placesOf(id: string, origin: OriginOf): string[] {
  const answers: Record<string, Answers[string]> = {}
  markupOf(id, 0, origin, answers)
  return Object.keys(answers)
}

function markupOf(
  id: string,
  at: number,
  origin: OriginOf,
  answers: Record<string, Answers[string]>,
): WayMarkup {
  const file = (path: string, answer: Answers[string], host = 'ways') => {
    answers[`${host}/${id}/${path}`] = answer
    return `/${id}/${path}`
  }
  return ways[id]!.make({
    id,
    other: origin('parts'),
    file,
    picture: (name, host) => file(`${name}.png`, picture(colourOf(at), shared), host),
  })
}

/** No two alike, and none the grey of an unlit tile. */
function colourOf(at: number): string {
  const channels = [(at * 37) % 200, 40 + ((at * 53) % 160), (at * 91) % 200]
  return `#${channels.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}
