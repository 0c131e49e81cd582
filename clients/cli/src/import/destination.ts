import type { SourcePlace, SourceValue } from './exported.ts';

export interface Target {
  project: string;
  environment: string;
}

/** An environment and what it gets. */
export interface Destination extends Target {
  places: SourcePlace[];
  values: SourceValue[];
}

export const nameOf = ({ project, environment }: Target): string => `${project}/${environment}`;
