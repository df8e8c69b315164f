// Line links: URLs line by line, in text sitemaps and in HLS playlists.

import type { LinkCollector } from './link-collector.ts'

/** A sitemap as plain text: one absolute URL per line. */
export function collectTextLinks(text: string, links: LinkCollector): void {
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    if (links.isFull) return
    if (/^\s*https?:\/\//i.test(line)) links.add(line.trim(), 'sitemap page')
  }
}

/** Segments and other playlists, and what tags name: `#EXT-X-KEY:METHOD=AES-128,URI="key"`. */
export function collectPlaylistLinks(text: string, links: LinkCollector): void {
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    if (links.isFull) return
    if (!line.startsWith('#')) links.add(line.trim(), 'playlist entry')
    else for (const [, url] of line.matchAll(/[:,]URI="([^"]*)"/g)) links.add(url!, 'playlist entry')
  }
}
