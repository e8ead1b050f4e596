function [rest, settings] = take_settings(arguments)
% Arguments without the pairs 'device', NAME, 'threads', NUMBER and 'same_bits', FLAG, and what the gateway takes for these.
  rest = {};
  settings = {};
  k = 1;
  while k <= numel(arguments)
    name = arguments{k};
    if ~ischar(name) || ~any(strcmpi(name, {'device', 'threads', 'same_bits'}))
      rest{end + 1} = name; %#ok<AGROW>
      k = k + 1;
      continue;
    end
    if k == numel(arguments)
      error('eigpack:badArgument', 'eigpack: ''%s'' is followed by its value', name);
    end
    if isempty(settings)
      settings = {'cpu', 0, false};
    end
    settings{find(strcmpi(name, {'device', 'threads', 'same_bits'}))} = arguments{k + 1};
    k = k + 2;
  end
end
