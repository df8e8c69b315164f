// The peer, as the extension asks it: what it has of a page, archive it, watch it. What goes wrong is told in words for people.
//
// No cookies are sent, and the key only with what needs it. Every request has a time limit.

import type { Connection, Offer } from './connection.ts'

/** With a message to show. */
export class PeerTrouble extends Error {
  readonly kind: 'unreachable' | 'not-allowed' | 'refused'

  constructor(kind: PeerTrouble['kind'], message: string) {
    super(message)
    this.name = 'PeerTrouble'
    this.kind = kind
  }
}

export interface PageVersions {
  readonly count: number
  /** There are more than were counted. */
  readonly isMore: boolean
  /** When the newest was captured, milliseconds since 1970. */
  readonly lastMs: number | undefined
}

export interface ArchiveJob {
  readonly id: string
  readonly state: 'running' | 'paused' | 'done'
  readonly outcome: 'complete' | 'partly' | 'nothing' | null
  readonly advice: string | null
  readonly missing: readonly { readonly words: string; readonly seeds: number }[]
}

const countedMax = 100
const answerMsMax = 20_000

export class Peer {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  get origin(): string {
    return this.#connection.origin
  }

  /** Newest first, as far as they are counted. */
  async versions(url: string): Promise<PageVersions> {
    const query = new URLSearchParams({ url, reverse: 'true', limit: String(countedMax) })
    const { versions } = await this.#json<{ versions: { capturedAt: string }[] }>(`/api/v1/versions?${query}`)
    const newest = versions[0]
    return {
      count: versions.length,
      isMore: versions.length === countedMax,
      lastMs: newest && Date.parse(newest.capturedAt),
    }
  }

  archive(url: string): Promise<ArchiveJob> {
    return this.#write('/api/v1/pages', { url })
  }

  job(id: string): Promise<ArchiveJob> {
    return this.#json(`/api/v1/jobs/${encodeURIComponent(id)}`)
  }

  /** Whether this peer can watch pages for changes: one that cannot has no such address. */
  async canWatch(): Promise<boolean> {
    const answer = await this.#ask('/api/v1/watches', { method: 'OPTIONS' })
    return answer.ok && /\bPOST\b/.test(answer.headers.get('allow') ?? '')
  }

  async watch(url: string): Promise<void> {
    await this.#write('/api/v1/watches', { url })
  }

  versionsPage(url: string): string {
    return `${this.origin}/web/*/${url}`
  }

  newestPage(url: string): string {
    return `${this.origin}/web/${url}`
  }

  #write<Answer>(path: string, body: object): Promise<Answer> {
    return this.#json(path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.#connection.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      // The popup may be closed at once.
      keepalive: true,
    })
  }

  #json<Answer>(path: string, init?: RequestInit): Promise<Answer> {
    return jsonFrom(this.origin, path, init)
  }

  #ask(path: string, init: RequestInit): Promise<Response> {
    return ask(this.origin, path, init)
  }
}

/** The key for what the owner gave. The token itself is not kept. */
export async function keyFor(offer: Offer): Promise<Connection> {
  const about = await jsonFrom<{ program?: string }>(offer.origin, '/api/v1')
  if (about.program !== 'polyhistor') throw notPolyhistor(offer.origin)
  const authorization = 'token' in offer ? `Bearer ${offer.token}` : `Link ${offer.code}`
  const { key } = await jsonFrom<{ key: string }>(offer.origin, '/extension-key', {
    method: 'POST',
    headers: { Authorization: authorization },
  })
  return { origin: offer.origin, key }
}

async function jsonFrom<Answer>(origin: string, path: string, init: RequestInit = {}): Promise<Answer> {
  const answer = await ask(origin, path, init)
  if (!answer.ok) throw await troubleOf(answer)
  try {
    return (await answer.json()) as Answer
  } catch {
    throw notPolyhistor(origin)
  }
}

async function ask(origin: string, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(`${origin}${path}`, {
      ...init,
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
      signal: AbortSignal.timeout(answerMsMax),
    })
  } catch {
    throw new PeerTrouble(
      'unreachable',
      `Nobody answers at ${origin}. Is the archive running? Start it with \`polyhistor peer\`.`,
    )
  }
}

async function troubleOf(answer: Response): Promise<PeerTrouble> {
  const body = (await answer.json().catch(() => undefined)) as { error?: { message?: unknown } } | undefined
  const message = typeof body?.error?.message === 'string' ? body.error.message.slice(0, 500) : undefined
  if (answer.status === 410)
    return new PeerTrouble(
      'not-allowed',
      'This link was used or is too old. Run `polyhistor link` for another.',
    )
  if (answer.status === 401 || answer.status === 403)
    return new PeerTrouble(
      'not-allowed',
      'This archive does not know this extension any more. Connect it again.',
    )
  if (answer.status === 451) return new PeerTrouble('refused', 'This page was taken down from the archive.')
  return new PeerTrouble('refused', message ?? `The archive answered with an error (${answer.status}).`)
}

function notPolyhistor(origin: string): PeerTrouble {
  return new PeerTrouble('unreachable', `What answers at ${origin} is no Polyhistor archive.`)
}
