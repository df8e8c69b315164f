// Ways in which a page can need something, each with a tile that is lit only when that was there.

import type { Answers } from '../origin-web.ts'

/** What one way is made from. */
export interface WayParts {
  /** Its tile. */
  readonly id: string
  /** The origin of another host. */
  readonly other: string
  /** A picture of a colour of its own, of either host: gives its path. */
  picture(name: string, host?: 'ways' | 'parts'): string
  /** Any other file, by its path on a host. */
  file(path: string, answer: Answers[string], host?: 'ways' | 'parts'): string
}

export interface WayMarkup {
  readonly head?: string
  readonly tile?: string
  /** `lit(id, work)`: a script at the end of the page that lights the tile. */
  readonly script?: string
  readonly after?: string
}

export interface Way {
  /** For the table, in words. */
  readonly what: string
  /**
   * How a crawler can find what is needed. `reading`: by the rules of the language that it is written in. `guessing`: it
   * stands in a script, as a text of which only the run tells what becomes of it. `running`: it stands nowhere as a whole.
   */
  readonly foundBy: 'reading' | 'guessing' | 'running'
  /** What is needed and never seen: it is looked for in the archive. */
  readonly isUnseen?: boolean
  readonly make: (parts: WayParts) => WayMarkup
}

export type Ways = Readonly<Record<string, Way>>

export function written(what: string, make: Way['make']): Way {
  return { what, foundBy: 'reading', make }
}

export function quoted(what: string, make: Way['make']): Way {
  return { what, foundBy: 'guessing', make }
}

export function made(what: string, make: Way['make']): Way {
  return { what, foundBy: 'running', make }
}

export function unseen(what: string, make: Way['make']): Way {
  return { what, foundBy: 'reading', isUnseen: true, make }
}
