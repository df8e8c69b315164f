// Where the archive's own pages and the archived ones are: `http://localhost:7070` and `http://replay.localhost:7070`.

import type { Modifier } from './replay-address.ts'

export interface ReplayOrigins {
  /** Without a final slash. */
  readonly archive: string
  readonly replay: string
}

/** The files that replayed pages load from us. No time of a capture looks like this. */
export const ownFilesPath = '/web/_/'

const pageDestinations = new Set(['document', 'iframe', 'frame', 'embed', 'object'])

/** Embedded parts, and what scripts ask for, are answered where they are asked for; pages and raw bytes are at the address
 * of their own time. */
export function isEmbedded(modifier: Modifier, destination: string | undefined): boolean {
  if (modifier === 'id_') return false
  if (destination !== undefined) return !pageDestinations.has(destination)
  return modifier !== '' && modifier !== 'mp_' && modifier !== 'if_' && modifier !== 'fr_'
}
