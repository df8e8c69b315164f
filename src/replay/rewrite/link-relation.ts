// Link relations: what a `link` element loads, and which of them would reach out of the archive.

import type { PartModifier } from '../replay-address.ts'
import type { Tag } from './tag.ts'

/** No policy stops a browser from looking a name up or opening a connection in advance. */
const unwanted = new Set([
  'preconnect',
  'dns-prefetch',
  'prefetch',
  'prerender',
  'pingback',
  'expect',
  'compression-dictionary',
])

const modifierOfUse: Readonly<Record<string, PartModifier>> = {
  script: 'js_',
  worker: 'js_',
  serviceworker: 'js_',
  style: 'cs_',
  image: 'im_',
  document: 'if_',
  font: 'oe_',
  audio: 'oe_',
  video: 'oe_',
  track: 'oe_',
  embed: 'oe_',
  object: 'oe_',
}

export function isUnwantedRelation(relation: string): boolean {
  return unwanted.has(relation.toLowerCase())
}

export function modifierOfLink(tag: Tag): PartModifier {
  const relations = (tag.get('rel') ?? '').toLowerCase().split(/[\t\n\f\r ]+/)
  if (relations.includes('stylesheet')) return 'cs_'
  if (relations.includes('modulepreload')) return 'esm_'
  if (relations.includes('preload')) return modifierOfUse[tag.get('as')?.trim().toLowerCase() ?? ''] ?? 'mp_'
  if (relations.some((relation) => relation === 'icon' || relation.startsWith('apple-touch'))) return 'im_'
  return relations.includes('mask-icon') ? 'im_' : 'mp_'
}
