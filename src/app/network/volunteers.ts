// Volunteers of this peer: the desk where they get work, wired to crawler, store and calls.

import { join } from 'node:path'
import { compareVersions } from '../../changes/page-change/version-work.ts'
import type { Fetched } from '../../crawl/fetch/outcome.ts'
import { openFreshJob } from '../../crawl/recrawl/recrawl-loop.ts'
import { PageComparer } from '../../crawl/visit/page-comparer.ts'
import { tryParseUrl } from '../../model/url/url.ts'
import { type Release, writeRelease } from '../../network/releases/release.ts'
import { isSameAnswer } from '../../network/volunteers/answer-check.ts'
import { VolunteerBook, volunteerTables } from '../../network/volunteers/volunteer-book.ts'
import { VolunteerDesk } from '../../network/volunteers/volunteer-desk.ts'
import { leaderAddressesMax, volunteerLeadersMax } from '../../network/volunteers/volunteer-messages.ts'
import type { TrustTerms, VolunteerView } from '../../network/volunteers/volunteer-record.ts'
import type { Log } from '../../platform/log.ts'
import type { Crawler } from '../crawl/crawler.ts'
import type { Platform } from '../platform.ts'
import type { RingPeer } from '../ring/ring-peer.ts'
import type { SiteLeases } from './site-leases.ts'

interface Needs {
  readonly platform: Pick<Platform, 'clock' | 'random' | 'keyValues'>
  readonly ring: RingPeer
  readonly sites: SiteLeases
  readonly crawler: Crawler
  readonly log: Log
  /** Which version of the program the network runs. */
  release(): Release | undefined
  wake(): void
}

export interface OpenVolunteers {
  /** Those that are known here. */
  views(): VolunteerView[]
  /** Resolves when none of them asks any host for this peer; before the leases of sites are given up. */
  close(): Promise<void>
}

export async function openVolunteers(
  needs: Needs,
  folder: string,
  terms: TrustTerms,
): Promise<OpenVolunteers> {
  const { platform, ring, sites, crawler, log, wake } = needs
  const { clock, random, keyValues } = platform
  const keyValue = await keyValues.open(join(folder, 'volunteers'), { tables: volunteerTables })
  const book = new VolunteerBook({ keyValue, clock }, terms)
  const { frontier, fetcher, robots } = crawler
  const comparer = new PageComparer({ workers: { run: (work) => compareVersions(work) } })
  const compared = ({ capture, status, headers, body, bodyBytes }: Fetched) => ({
    ...{
      url: capture.url.href,
      capturedAtMs: capture.capturedAtMs,
      status,
      headers,
      body: body(),
      bodyBytes,
    },
  })
  const compare = (before: Fetched, after: Fetched) =>
    comparer.compare(compared(after), async () => compared(before))
  const desk = new VolunteerDesk(
    {
      ...{ clock, random, log, book, wake, userAgent: crawler.userAgent },
      calls: ring.services.service('volunteers'),
      addressOf: (peer) => ring.addressOf(peer),
      release: () => {
        const release = needs.release()
        return release && writeRelease(release)
      },
      leaders: () =>
        ring.ring
          .remembered()
          .slice(0, volunteerLeadersMax)
          .map(({ peer, addresses }) => ({ peer, addresses: addresses.slice(0, leaderAddressesMax) })),
      canCrawl: (site, forMs) => sites.canCrawl(site, forMs),
      termsOf: (url) => frontier.hosts.termsOf(url),
      rest: (url) => frontier.hosts.rest(url),
      robotsOf: (url) => robots.copyOf(url),
      fetchHere: (url, options) => fetcher.fetch(url, options),
      isSame: (one, other) => isSameAnswer({ compare }, one, other),
      fetchAgain: (hrefs) => {
        const job = openFreshJob(frontier)
        for (const href of hrefs) {
          const url = tryParseUrl(href)
          if (url !== null && sites.canCrawl(url.ringKey)) frontier.visits.revisit(url, job)
        }
        wake()
      },
    },
    terms,
  )
  crawler.crawl.lendTo(desk)
  fetcher.watchConnects((url, address, connectMs) => {
    desk.noteConnect(url.authority, address, connectMs)
    sites.noteConnect(url.ringKey, address, connectMs)
  })
  return {
    views: () => desk.views(),
    close: async () => {
      await desk.close()
      await ring.services.stop(['volunteers'])
      await book.close()
    },
  }
}
