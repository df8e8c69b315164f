// Long work through a running peer: progress while it lasts, then the result. Who goes away stops it.

import { type PeerClient, PeerError } from './peer-client.ts'

type Line<Progress, Result> =
  | { progress: Progress }
  | { result: Result }
  | { error: { code: string; message: string; retry: 'never' | 'later' } }

interface WorkWatch<Progress> {
  readonly signal: AbortSignal
  readonly progress: (state: Progress) => void
}

export async function workThrough<Progress, Result>(
  peer: PeerClient,
  path: string,
  request: object,
  { signal, progress }: WorkWatch<Progress>,
): Promise<Result> {
  for await (const line of peer.postLines<Line<Progress, Result>>(path, request, signal)) {
    if ('progress' in line) progress(line.progress)
    else if ('error' in line)
      throw new PeerError(line.error.code, line.error.message, { retry: line.error.retry })
    else return line.result
  }
  throw new PeerError('peer-unreachable', 'The peer stopped before it was done.', { retry: 'later' })
}
