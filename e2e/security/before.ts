// What the attacks did to the program as it was before it was mended (commit ce0f7b6), each on a network of its own:
// `npm run torture -- security --short --each` with these files beside that commit's sources.

export const before: Readonly<Record<string, 'broke' | 'held'>> = {}
