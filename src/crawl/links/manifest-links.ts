// Manifest links: a web application's icons, screenshots and pages.

import { parseJson } from '../../model/json.ts'
import type { LinkCollector } from './link-collector.ts'
import type { LinkSource } from './link-source.ts'

const manifestCharsMax = 1024 * 1024

export function collectManifestLinks(text: string, links: LinkCollector): void {
  const manifest = text.length > manifestCharsMax ? undefined : parseJson(text)
  add(manifest, 'start_url', 'manifest page', links)
  for (const icon of listIn(manifest, 'icons')) add(icon, 'src', 'manifest icon', links)
  for (const screenshot of listIn(manifest, 'screenshots')) add(screenshot, 'src', 'manifest icon', links)
  for (const shortcut of listIn(manifest, 'shortcuts')) {
    add(shortcut, 'url', 'manifest page', links)
    for (const icon of listIn(shortcut, 'icons')) add(icon, 'src', 'manifest icon', links)
  }
}

function add(object: unknown, key: string, source: LinkSource, links: LinkCollector): void {
  const value = valueIn(object, key)
  if (typeof value === 'string') links.add(value, source)
}

function listIn(object: unknown, key: string): readonly unknown[] {
  const value = valueIn(object, key)
  return Array.isArray(value) ? value : []
}

function valueIn(object: unknown, key: string): unknown {
  return typeof object === 'object' && object !== null
    ? Object.getOwnPropertyDescriptor(object, key)?.value
    : undefined
}
