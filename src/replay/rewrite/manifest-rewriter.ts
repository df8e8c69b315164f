// Manifest and import map rewriters: JSON documents whose URLs the browser itself follows. Printed anew; what is no JSON
// stays as it is.

import type { PartModifier } from '../replay-address.ts'
import type { RewriteLink } from './css-rewriter.ts'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

const depthMax = 20

/** Web app manifest: pages as pages, icons and screenshots as images. */
export function rewriteManifest(text: string, rewriteLink: RewriteLink): string {
  return rewriteJson(text, (json) => walked(json, rewriteLink, 0))
}

function walked(json: Json, rewriteLink: RewriteLink, depth: number): Json {
  if (depth > depthMax || json === null || typeof json !== 'object') return json
  if (Array.isArray(json)) return json.map((item) => walked(item, rewriteLink, depth + 1))
  const rewritten: { [name: string]: Json } = {}
  for (const [name, value] of Object.entries(json)) {
    const modifier = manifestModifiers.get(name)
    rewritten[name] =
      modifier !== undefined && typeof value === 'string'
        ? (rewriteLink(value, modifier) ?? value)
        : walked(value, rewriteLink, depth + 1)
  }
  return rewritten
}

const manifestModifiers = new Map<string, PartModifier>([
  ['start_url', 'mp_'],
  ['scope', 'mp_'],
  ['url', 'mp_'],
  ['action', 'mp_'],
  ['src', 'im_'],
])

/** Relative ones too: they are resolved against the page, not against a module. Bare names stay, as keys and as values. */
export function rewriteImportMap(text: string, rewriteLink: RewriteLink): string {
  const url = (written: string): string =>
    /^(?:https?:|\.{0,2}\/)/i.test(written) ? (rewriteLink(written, 'esm_') ?? written) : written
  const mapped = (json: Json | undefined): Json => {
    if (json === null || typeof json !== 'object' || Array.isArray(json)) return json ?? {}
    return Object.fromEntries(
      Object.entries(json).map(([name, value]) => [
        url(name),
        typeof value === 'string' ? url(value) : value,
      ]),
    )
  }
  return rewriteJson(text, (json) => {
    if (json === null || typeof json !== 'object' || Array.isArray(json)) return json
    const { imports, scopes, integrity: _unwanted, ...rest } = json
    const rewritten: { [name: string]: Json } = { ...rest }
    if (imports !== undefined) rewritten.imports = mapped(imports)
    if (scopes !== null && typeof scopes === 'object' && !Array.isArray(scopes)) {
      rewritten.scopes = Object.fromEntries(
        Object.entries(scopes).map(([scope, map]) => [url(scope), mapped(map)]),
      )
    }
    return rewritten
  })
}

function rewriteJson(text: string, rewrite: (json: Json) => Json): string {
  try {
    return JSON.stringify(rewrite(JSON.parse(text) as Json))
  } catch {
    return text
  }
}
