// Session ids that web servers put into URLs, taken out of SURT keys.
//
// The Internet Archive's rules, kept to the letter, odd ends included, since keys must equal its keys: a name
// matches at the end of a longer one (`mysid=`), each kind is taken out once, the last of its kind, and the `&`
// before it stays. The archive's own patterns take quadratic time on hostile queries; walking the parameters
// from the last does not.

/** In this order: taking out one can bring forth the next. */
const parameterEnds: readonly { readonly length: number; readonly pattern: RegExp }[] = [
  { length: 11 + 32, pattern: /^jsessionid=[0-9a-z]{32}$/i },
  { length: 10 + 32, pattern: /^phpsessid=[0-9a-z]{32}$/i },
  { length: 4 + 32, pattern: /^sid=[0-9a-z]{32}$/i },
  { length: 12 + 8 + 1 + 24, pattern: /^aspsessionid[a-z]{8}=[a-z]{24}$/i },
]
const mayHoldSessionId = /sid=|sessionid|cfid=/i

export function stripQuerySessionIds(query: string): string {
  if (!mayHoldSessionId.test(query)) return query
  let stripped = query
  for (const { length, pattern } of parameterEnds) stripped = stripParameterEnd(stripped, length, pattern)
  return stripColdFusionPair(stripped)
}

/** Takes out the last parameter that ends in the pattern, from where the pattern starts to the next parameter. */
function stripParameterEnd(query: string, length: number, pattern: RegExp): string {
  for (let end = query.length; end !== -1; end = previousEnd(query, end)) {
    const start = end - length
    if (start >= 0 && pattern.test(query.slice(start, end)))
      return query.slice(0, start) + query.slice(end + 1)
  }
  return query
}

/** `CFID=…&CFTOKEN=…`, two parameters that belong together. */
function stripColdFusionPair(query: string): string {
  const lower = query.toLowerCase()
  let end = lower.length
  for (let tokenEnd = -1; end !== -1; tokenEnd = end, end = previousEnd(lower, end)) {
    const token = tokenEnd === -1 ? '' : lower.slice(end + 1, tokenEnd)
    if (!token.startsWith('cftoken=') || token === 'cftoken=') continue
    // The value must not be empty, so the name must end before the parameter's last character.
    const start = end < 6 ? -1 : lower.lastIndexOf('cfid=', end - 6)
    if (start > previousEnd(lower, end)) return query.slice(0, start) + query.slice(tokenEnd + 1)
  }
  return query
}

/** Where the parameter before the one that ends at `end` ends: the index of the `&` between them, or -1. */
function previousEnd(query: string, end: number): number {
  return end === 0 ? -1 : query.lastIndexOf('&', end - 1)
}

const aspSegments = [/^\((?:[a-z]\([0-9a-z]{24}\))+\)$/i, /^\([0-9a-z]{24}\)$/i] as const

/** `/(S(…))/page.aspx` and `/(…)/page.aspx`: the last such segment of each kind goes. */
export function stripPathSessionIds(path: string): string {
  if (!path.includes('.aspx')) return path
  let stripped = path
  for (const pattern of aspSegments) stripped = stripAspSegment(stripped, pattern)
  return stripped
}

function stripAspSegment(path: string, pattern: RegExp): string {
  let end = path.lastIndexOf('/')
  while (end > 0) {
    const start = path.lastIndexOf('/', end - 1)
    if (start === -1) return path
    if (pattern.test(path.slice(start + 1, end)) && namesAspPage(path, end + 1)) {
      return path.slice(0, start + 1) + path.slice(end + 1)
    }
    end = start
  }
  return path
}

function namesAspPage(path: string, from: number): boolean {
  const page = path.indexOf('.aspx', from + 1)
  if (page === -1) return false
  const question = path.indexOf('?', from)
  return question === -1 || question > page
}
