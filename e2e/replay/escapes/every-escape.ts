// All escapes, and the sites that they are served from.

import { html, redirect } from '../files.ts'
import type { Answers } from '../origin-web.ts'
import { archiveEscapes } from './archive.ts'
import { documentEscapes } from './documents.ts'
import { elementEscapes } from './elements.ts'
import type { Escape, Surroundings } from './escape.ts'
import { navigationEscapes } from './navigation.ts'
import { readingEscapes } from './reading.ts'
import { redirectEscapes } from './redirects.ts'
import { requestEscapes } from './requests.ts'
import { serviceEscapes } from './services.ts'
import { styleEscapes } from './styles.ts'

/** By what they are, for the table. */
export function escapesByKind(around: Surroundings): Record<string, Escape[]> {
  return {
    'navigation of the window, its frames and new windows': navigationEscapes(around),
    'requests by scripts, elements, styles and hints': requestEscapes(around),
    'properties and rules of style sheets': styleEscapes(around),
    'media, drawings and markup': elementEscapes(around),
    'hints, reports, connections and services of the browser': serviceEscapes(around),
    'redirects, spellings of addresses, workers': redirectEscapes(around),
    'documents and workers that the page makes': documentEscapes(around),
    'reading what belongs to others': readingEscapes(around),
    'writing through the interface of the archive': archiveEscapes(around),
  }
}

export function everyEscape(around: Surroundings): Escape[] {
  return Object.values(escapesByKind(around)).flat()
}

const interfacePlace = 'rogue/api/v1/jobs'

/** `rogue` has them all; what is opened first stands on `victim` too, for the archive. */
export function escapeSite(escapes: readonly Escape[], { archive }: Surroundings): Answers {
  // Outside of the archive, its interface may be on the page's own host as well as anywhere.
  const answers: Record<string, Answers[string]> = {
    [interfacePlace]: redirect(307, `${archive}/api/v1/jobs`),
  }
  for (const { name, page, parts = {}, first, holder } of escapes) {
    const place = `rogue/escape/${name}`
    answers[place] = page
    for (const [path, answer] of Object.entries(parts)) answers[place + path] = answer
    if (first !== undefined) answers[`${place}/first`] = first
    if (first !== undefined) answers[`victim/escape/${name}/first`] = first
    if (holder !== undefined)
      answers[`${place}/holder`] = html(holder.replace('HERE', `/escape/${name}`), {
        'Origin-Agent-Cluster': '?0',
      })
  }
  return answers
}

const groupSize = 8

/** Pages that show some of them each in frames, so that a crawler's browser can try them all in little time. */
export function escapeGroups(escapes: readonly Escape[]): Answers {
  const pages: Record<string, Answers[string]> = {}
  for (let start = 0; start < escapes.length; start += groupSize) {
    const frames = escapes
      .slice(start, start + groupSize)
      .map(({ name }) => `<iframe src="/escape/${name}" width="300" height="120"></iframe>`)
    pages[`rogue/group/${start / groupSize}`] = html(`<!doctype html><title>group</title>${frames.join('')}`)
  }
  return pages
}
