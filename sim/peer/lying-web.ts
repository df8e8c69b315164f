// The web as a volunteer that lies makes it out to be.

import type { Web, WebAnswer, WebRequest } from '../../src/platform/network/web.ts'

/** The ways to lie: to forge now and then; to forge all, beside another who does; to say that nothing can be had; to be late. */
export const liarKinds = ['forging', 'pair', 'dropping', 'delaying'] as const
export type LiarKind = (typeof liarKinds)[number]

export function liarWebs(
  kind: LiarKind,
  { isForged, sleep }: { isForged: () => boolean; sleep: () => Promise<void> },
): (web: Web) => Web {
  const webs: Record<LiarKind, (web: Web) => Web> = {
    forging: (web) => forging(web, isForged),
    pair: (web) => forging(web),
    dropping,
    delaying: (web) => delaying(web, sleep),
  }
  return webs[kind]
}

/** Pages say something else than their servers do. `isForged`: which of them. */
export function forging(web: Web, isForged: (href: string) => boolean = () => true): Web {
  return changed(web, async (request, answer) => {
    if (answer.outcome !== 'response' || !isForged(request.url.href)) return answer
    const body = Buffer.from(`<!doctype html><title>Forged</title><p>Nothing of ${request.url.href} is true.`)
    return { ...answer, body: { kind: 'memory', length: body.length, parts: [body] } }
  })
}

/** Nothing is asked for, and all is said to have failed. */
export function dropping(web: Web): Web {
  return {
    fetch: async () => ({
      outcome: 'failure',
      code: 'connect-failed',
      reason: 'it is said to be down',
      retry: 'later',
      address: undefined,
    }),
    close: () => web.close(),
  }
}

/** Every server is said to be next door. */
export function nearClaiming(web: Web): Web {
  return changed(web, async (_request, answer) => {
    if (answer.outcome !== 'response') return answer
    const { timing } = answer
    const sentMs = Math.max(timing.sentMs, timing.endMs - 2)
    return { ...answer, timing: { ...timing, sentMs, headMs: timing.endMs, connectMs: 1 } }
  })
}

/** Every answer comes late. */
export function delaying(web: Web, sleep: () => Promise<void>): Web {
  return changed(web, async (_request, answer) => {
    await sleep()
    return answer
  })
}

function changed(web: Web, change: (request: WebRequest, answer: WebAnswer) => Promise<WebAnswer>): Web {
  return {
    fetch: async (request, signal) => change(request, await web.fetch(request, signal)),
    close: () => web.close(),
  }
}
