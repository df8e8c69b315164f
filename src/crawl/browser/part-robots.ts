// robots.txt for parts of pages that are pages themselves: frames. It is fetched where it is due, in a turn of its host.

import type { Url } from '../../model/url/url.ts'
import type { MissedReason } from '../jobs/job-outcome.ts'
import type { RobotsCache } from '../robots/robots-cache.ts'
import { printRefusal } from '../robots/robots-rules.ts'
import type { PartTurns } from './part-turns.ts'

interface Needs {
  readonly robots: RobotsCache
  readonly frontier: { nowMs(): number }
  readonly turns: PartTurns
}

/** Why it must not be asked for; undefined when it may. */
export async function robotsRefusal(
  { robots, frontier, turns }: Needs,
  url: Url,
  signal: AbortSignal,
): Promise<MissedReason | undefined> {
  if (robots.isDue(url, frontier.nowMs()))
    await turns.take(
      url,
      async (endTurn) => {
        const { answer, isOfOwnHost } = await robots.renew(url, { signal })
        if (isOfOwnHost) endTurn(answer)
      },
      signal,
    )
  const nowMs = frontier.nowMs()
  if (robots.isDue(url, nowMs)) return robots.troubleOf(url)
  const verdict = robots.verdict(url, nowMs)
  return verdict.isAllowed ? undefined : { code: 'robots', reason: `robots.txt: ${printRefusal(verdict)}` }
}
