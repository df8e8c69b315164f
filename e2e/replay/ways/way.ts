// Ways in which a page can need something, each with a tile that is lit only when that was there.

import type { Answers, OriginOf } from '../origin-web.ts'

/** What one way is made from. */
export interface WayParts {
  /** Its tile. */
  readonly id: string
  /** Origins of the page and of another host. */
  readonly own: string
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
  /** Whether what is needed stands somewhere in what was fetched, so that reading it is enough. */
  readonly isWritten: boolean
  /** What is needed and never seen: it is looked for in the archive. */
  readonly isUnseen?: boolean
  readonly make: (parts: WayParts) => WayMarkup
}

export type Ways = Readonly<Record<string, Way>>

/** By how it is seen: a way that the markup alone shows, or a script lights. */
export function written(what: string, make: Way['make']): Way {
  return { what, isWritten: true, make }
}

/** Needs a browser that runs the page while it is crawled. */
export function made(what: string, make: Way['make']): Way {
  return { what, isWritten: false, make }
}

export function unseen(what: string, make: Way['make']): Way {
  return { what, isWritten: true, isUnseen: true, make }
}

export interface WaysSite {
  readonly answers: Answers
  /** Of the ways that are not seen: the places of what they need. */
  readonly unseen: ReadonlyMap<string, readonly string[]>
}

export type WaysBuilder = (origin: OriginOf) => WaysSite
