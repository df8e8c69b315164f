// An import through a running peer, which reads the file from the disk that we share with it.

import type { ImportProgress, ImportResult } from '../store-library.ts'
import { type PeerClient, PeerError } from './peer-client.ts'

type Line =
  | { progress: ImportProgress }
  | { result: ImportResult }
  | { error: { code: string; message: string } }

export async function importThrough(
  peer: PeerClient,
  path: string,
  options: { again: boolean; signal: AbortSignal; whenProgress: (progress: ImportProgress) => void },
): Promise<ImportResult> {
  const wish = { path, again: options.again }
  for await (const line of peer.postLines<Line>('/api/v1/imports', wish, options.signal)) {
    if ('progress' in line) options.whenProgress(line.progress)
    else if ('error' in line) throw new PeerError(line.error.code, line.error.message)
    else return line.result
  }
  throw new PeerError('peer-unreachable', 'The peer stopped before the import was done.', { retry: 'later' })
}
