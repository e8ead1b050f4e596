function [range, ends] = read_range(name, arguments)
% The gateway's letter and two ends, of nothing or of a pair 'index' or 'value', ENDS.
  range = 'A';
  ends = [0, 0];
  if isempty(arguments)
    return;
  end
  if numel(arguments) ~= 2
    error('eigpack:badArgument', 'eigpack: %s takes d and e, and ''index'' or ''value'' with two ends', name);
  end
  known = strcmpi(arguments{1}, {'index', 'value'});
  if ~any(known)
    error('eigpack:badArgument', 'eigpack: a range is by ''index'' or by ''value''');
  end
  letters = 'IV';
  range = letters(known);
  ends = double(arguments{2});
end
