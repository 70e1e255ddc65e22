// The tiers of an assembled context, in the order in which they stand there.

export const TIERS = [["hard", "hard rules"], ["soft", "soft rules"], ["guidance", "guidance"], ["tail", "recent turns"], ["recall", "recalled"]];

const names = new Map(TIERS);
export const tierName = (tier) => names.get(tier) ?? tier;
