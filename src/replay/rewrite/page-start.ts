// Page start: what a replayed page loads before anything of its own: wombat, and our set-up of it (in-page/start.js).
//
// The facts of the page stand in an attribute, so that the script is the same for all pages.

import { ownFilesPath, type ReplayOrigins } from '../replay-origins.ts'

export interface PageFacts {
  readonly url: string
  readonly modifier: string
  /** Of its links and parts. */
  readonly timestamp: string
  /** 14 digits. */
  readonly capturedAt: string
  readonly capturedAtMs: number
}

export function pageStart(page: PageFacts, { archive, replay }: ReplayOrigins): string {
  const facts = {
    url: page.url,
    timestamp: page.timestamp,
    capturedAt: page.capturedAt,
    capturedAtSeconds: Math.floor(page.capturedAtMs / 1000),
    modifier: page.modifier === '' ? 'mp_' : page.modifier,
    archive,
    replay,
  }
  const attribute = JSON.stringify(facts).replace(/[&'<>]/g, (character) => `&#${character.charCodeAt(0)};`)
  return `<script crossorigin="" src="${ownFilesPath}start.js" data-polyhistor='${attribute}'></script>`
}
