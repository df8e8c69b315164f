// Trap rules: from where on a site looks endless rather than large. Each says which honest site it must spare.

export interface TrapRules {
  /** Longer URLs come from loops in generated links; long search URLs have a few hundred characters. */
  readonly hrefCharsMax: number
  /** Path segments. Deep file trees have about fifteen. */
  readonly segmentsMax: number
  /** The same run of segments one after the other (`/a/b/a/b/a/b`). Twice happens (`/docs/docs/`), thrice hardly. */
  readonly repeatsMax: number
  /** The same segment anywhere in the path, numbers apart. */
  readonly sameSegmentsMax: number
  /** Parameters of a query. Forms with many fields have about twenty. */
  readonly parametersMax: number
  /** Parameters of one name: a shop's facets may be chosen several at a time. */
  readonly sameNameMax: number
  /** The very same parameter again. */
  readonly sameParameterMax: number
  /** How often a query holds an encoded query that holds an encoded query. */
  readonly nestedEncodingsMax: number
  /** URLs of one path that differ in their queries. A shop of eight facets has some thousands worth having. */
  readonly queriesPerPathMax: number
  /** URLs of one shape with a date in it: forty years of days. */
  readonly datedPerShapeMax: number
  /** URLs of one shape otherwise, numbers in them aside: the articles of a large site, but not a counter for ever. */
  readonly urlsPerShapeMax: number
  /** Dates further ahead than this come from calendars that can be leafed through for ever. */
  readonly yearsAheadMax: number
  /** The first year of calendars: no event was ever put on the web before. Archives without that word may be older. */
  readonly calendarYearMin: number
  /** Links followed one from the next. */
  readonly depthMax: number
  /** From so many fetched URLs of one shape on, this share of repeated contents says that it repeats itself. */
  readonly repeatedCountMin: number
  readonly repeatedShareMax: number
}

export const trapRulesDefault: TrapRules = {
  hrefCharsMax: 2_000,
  segmentsMax: 30,
  repeatsMax: 2,
  sameSegmentsMax: 5,
  parametersMax: 40,
  sameNameMax: 20,
  sameParameterMax: 3,
  nestedEncodingsMax: 2,
  queriesPerPathMax: 20_000,
  datedPerShapeMax: 15_000,
  urlsPerShapeMax: 5_000_000,
  yearsAheadMax: 2,
  calendarYearMin: 1990,
  depthMax: 2_000,
  repeatedCountMin: 50,
  repeatedShareMax: 0.9,
}
