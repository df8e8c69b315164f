// Fetches robots.txt as any crawler sees it, and archives what came: the rules of the day are part of the record.

import type { Url } from '../../record/url.ts'
import type { Clock } from '../../world/clock.ts'
import type { AddressRule, Web, WebAnswer, WebResponse } from '../../world/web.ts'
import { robotsLimits } from '../fetch/limits.ts'
import { blockOf } from '../fetch/response-block.ts'
import type { Archive } from '../visit/archive.ts'
import { requestHeaders } from '../visit/request-headers.ts'

export interface RobotsFetchingOptions {
  readonly userAgent: string
  readonly allow: AddressRule
  readonly insecure: boolean
}

export class RobotsFetching {
  readonly #needs: { web: Web; archive: Archive; clock: Clock }
  readonly #options: RobotsFetchingOptions

  constructor(needs: { web: Web; archive: Archive; clock: Clock }, options: RobotsFetchingOptions) {
    this.#needs = needs
    this.#options = options
  }

  async fetch(url: Url, signal?: AbortSignal): Promise<{ answer: WebAnswer; body: Uint8Array }> {
    const { userAgent, allow, insecure } = this.#options
    const capturedAtMs = this.#needs.clock.nowMs()
    const request = { url, headers: requestHeaders(userAgent), limits: robotsLimits, allow, insecure }
    const answer = await this.#needs.web.fetch(request, signal)
    if (answer.outcome === 'failure') return { answer, body: new Uint8Array(0) }
    try {
      await this.#keep(url, answer, capturedAtMs)
      return { answer, body: await bytesOf(answer) }
    } finally {
      if (answer.body.kind === 'spooled') await answer.body.remove()
    }
  }

  async #keep(url: Url, answer: WebResponse, capturedAtMs: number): Promise<void> {
    const { request, address: ipAddress, protocols, truncated } = answer
    const { block } = blockOf(answer)
    const metadata = [['hopsFromSeed', 'P']] as const // As Heritrix marks prerequisites.
    await this.#needs.archive.keep({
      url,
      capturedAtMs,
      block,
      request,
      metadata,
      ipAddress,
      protocols,
      truncated,
      notModified: undefined,
    })
  }
}

async function bytesOf({ body }: WebResponse): Promise<Uint8Array> {
  if (body.kind === 'memory') return Buffer.concat(body.parts)
  const parts: Uint8Array[] = []
  for await (const chunk of body.chunks()) parts.push(chunk)
  return Buffer.concat(parts)
}
