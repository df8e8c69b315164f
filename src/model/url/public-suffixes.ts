// The public suffix list, as tldts carries it; a volunteer's bundle has none (scripts/build-volunteer.ts).
//
// By require: to import it, Node reads it all once more for the names that it exports.

import { createRequire } from 'node:module'
import type * as Tldts from 'tldts'

export const { getDomain, getPublicSuffix } = createRequire(import.meta.url)('tldts') as typeof Tldts
