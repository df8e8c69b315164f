// Where the archive's own pages and the archived ones are: `http://localhost:7070` and `http://replay.localhost:7070`.

import type { Modifier } from './replay-address.ts'

export interface ReplayOrigins {
  /** Without a final slash. */
  readonly archive: string
  readonly replay: string
}

/** The files that replayed pages load from us. No time of a capture looks like this. */
export const ownFilesPath = '/web/_/'

/** Embedded parts are answered where they are asked for; pages and raw bytes are at the address of their own time. */
export function isEmbedded(modifier: Modifier): boolean {
  return (
    modifier !== '' && modifier !== 'mp_' && modifier !== 'if_' && modifier !== 'fr_' && modifier !== 'id_'
  )
}
