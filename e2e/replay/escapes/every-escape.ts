// All escapes, and the sites that they are served from.

import { html, redirect } from '../files.ts'
import type { Answers } from '../origin-web.ts'
import { archiveEscapes } from './archive.ts'
import { documentEscapes } from './documents.ts'
import type { Escape, Surroundings } from './escape.ts'
import { navigationEscapes } from './navigation.ts'
import { readingEscapes } from './reading.ts'
import { requestEscapes } from './requests.ts'

export function everyEscape(around: Surroundings): Escape[] {
  const sets = [navigationEscapes, requestEscapes, documentEscapes, readingEscapes, archiveEscapes]
  return sets.flatMap((set) => set(around))
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
