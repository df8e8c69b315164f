// Protocols that a server offers beside the one that it was asked by: of its header Alt-Svc (RFC 7838), `h3=":443"; ma=86400`.

const protocolsMax = 8
const headerCharsMax = 4_096
const idPattern = /^[A-Za-z0-9._~-]{1,32}$/

/** Their names, in the server's order, each once. None of a header that takes back what was offered (`clear`), or is none. */
export function offeredProtocols(altSvc: string | undefined): string[] {
  if (altSvc === undefined) return []
  const protocols = new Set<string>()
  // Quoted texts may have commas in them.
  for (const [, written] of altSvc
    .slice(0, headerCharsMax)
    .matchAll(/(?:^|,)\s*([^\s=,;"]+)=(?:"[^"]*"|[^\s,;"]*)(?:\s*;[^,"]*(?:"[^"]*")?)*/g)) {
    const id = decoded(written!)
    if (idPattern.test(id) && protocols.size < protocolsMax) protocols.add(id)
  }
  return [...protocols]
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return ''
  }
}
