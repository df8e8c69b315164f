// In place of src/model/url/public-suffixes.ts in the bundle of `polyhistor url`. What is asked of it are domains and suffixes with private ones
// included, of hosts that have been parsed: the options that site.ts gives say nothing else.

import { Suffixes, type SuffixRules } from './suffixes.ts'

/** Put there by build-url.ts. */
declare const publicSuffixRules: SuffixRules

const suffixes = new Suffixes(publicSuffixRules)

export const getDomain = (host: string): string | null => suffixes.domainOf(host)

export const getPublicSuffix = (host: string): string | null => suffixes.suffixOf(host)
